"""Audits of datasets: needed words, shortcuts, and leaks of the answer."""

from deixis.audits.audit import Audit as Audit
from deixis.audits.audit import Information as Information
from deixis.audits.audit import Share as Share
