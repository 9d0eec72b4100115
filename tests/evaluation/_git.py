"""git, with a name and an address to commit under."""

import subprocess


def git(folder, *arguments):
    setting = ["-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", "-C", folder, *setting, *arguments], check=True, capture_output=True, text=True)
    return done.stdout.strip()
