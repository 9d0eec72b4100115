"""Times at the terminal: leaks that are noted, datasets as of a time, and what is wrong with times."""


def test_as_of_a_time_and_what_is_wrong_with_times(transcript, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    transcript("time/as_of")
