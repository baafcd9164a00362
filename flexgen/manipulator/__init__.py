"""What the arm is: numbers and geometry, no dynamics."""
