"""A page in a real browser: run a script in it and hear what it says, where Chromium is found."""

import html
import json
import re
import shutil
import subprocess

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
HOOK = """<pre id="probe"></pre><script>
const problems = [];
addEventListener("error", (event) => problems.push(event.message));
addEventListener("load", () => setTimeout(() => {
  let found;
  try { found = (() => { %s })(); } catch (error) { found = { error: String(error.stack) }; }
  document.getElementById("probe").textContent = JSON.stringify({ found, problems });
}, 400));
</script>"""


def ask(folder, text, script, *options):
    """What the body of a function returns inside the page, after it has run for a moment."""
    page = folder / "page.html"
    # before the page's own scripts, so that their faults are heard
    page.write_text(text.replace("<body>", "<body>" + HOOK % script, 1), encoding="utf-8")
    command = [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu"]
    command += ["--window-size=1200,900", "--virtual-time-budget=3000", *options]
    command += [f"--user-data-dir={folder / 'profile'}", "--dump-dom", page.as_uri()]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    said = re.search(r'<pre id="probe">(.*?)</pre>', run.stdout, re.S)
    answer = json.loads(html.unescape(said.group(1)))
    assert answer["problems"] == []
    assert "error" not in (answer["found"] or {}), answer["found"]
    return answer["found"]
