from assay.web.app import make_app as make_app
from assay.web.documents import LoadedDataset as LoadedDataset
from assay.web.documents import expected_of as expected_of
from assay.web.documents import texts_of as texts_of
from assay.web.proxies import Proxies as Proxies
from assay.web.security import is_loopback as is_loopback
from assay.web.server import make_server as make_server
from assay.web.throttle import Throttle as Throttle
