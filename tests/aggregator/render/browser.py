"""Pages in a browser, for tests of what they show."""

import html
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def seen_in_browser(page, probe, width=1400):
    """What the script `probe` saw of the page."""
    first = "<script>window.pageErrors = []; onerror = (what) => { pageErrors.push(String(what)); };</script>"
    text = page.replace("<style>", first + "<style>", 1).replace("</body>", f"<script>{probe}</script></body>", 1)
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "page.html"
        file.write_text(text)
        done = subprocess.run(
            [shutil.which("chromium"), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             f"--user-data-dir={folder}/user", f"--window-size={width},1000", "--virtual-time-budget=10000", "--dump-dom",
             file.as_uri()], capture_output=True, text=True, timeout=280)
    found = re.search(r'<pre id="answer">(.*?)</pre>', done.stdout, re.S)
    if not found:
        sys.exit(f"FAILED: the page has no answer: {done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    return json.loads(html.unescape(found.group(1)))
