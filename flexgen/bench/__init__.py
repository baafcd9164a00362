"""Time our routines beside those of other programs: arm and routine -> table of times.

    problem     what is computed, at which states, and the right answers on plain floats
    candidate   one way to compute it: a block of work that times itself, and its results
    kernels     texts -> compiled routines of one signature, and the loop that calls them
    programs    our programs -> such texts
    ours        our routines in Fortran and C, and the model that a user calls
    peer_...    other programs: the code of the literature, CasADi, Pinocchio, MuJoCo
    peers       all of them by name
    rounds      blocks of all candidates in turn -> medians and quartiles
    contest     all of it -> rows with ratios, times and differences
    growth      time and operations against the size of the arm
    machine     where the times were taken

Every candidate is compared with the others before it is timed: a fast wrong routine is
worth nothing. Other programs are optional; one that is not there is named, with the reason.
"""
