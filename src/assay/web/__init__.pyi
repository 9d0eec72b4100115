from assay.web._documents import texts_of as texts_of
from assay.web._proxies import Proxies as Proxies
from assay.web.app import make_app as make_app
from assay.web.safety import is_loopback as is_loopback
from assay.web.server import make_server as make_server
