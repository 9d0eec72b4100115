import posixpath


def join(*parts):
    path = "/".join(parts)

    return posixpath.normpath(path)
