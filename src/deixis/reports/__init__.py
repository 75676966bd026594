"""Reports: one self-contained page that shows what a dataset holds and proves that it is sound."""

from deixis.reports.page import write_report as write_report
