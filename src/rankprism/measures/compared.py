"""The programs and publications that measures were compared with; the comparisons are in `tests`."""

NDEVAL = "ndeval 4.5 on 27 runs of TREC Web 2009, 2012, 2014 (its 6 decimals); pyndeval 0.0.8 (1e-9)"
TREC_EVAL = "trec_eval through pytrec_eval (1e-9)"
TREC_EVAL_10 = "trec_eval 10.0-rc3 (f425365) (1e-12)"
GDEVAL = "gdeval (its 5 decimals)"
NTCIREVAL = "NTCIREVAL 230128 on 27 runs of TREC Web 2009, 2012, 2014 (its 4 decimals)"
SAKAI_SONG = "Sakai & Song 2011's definitions, worked by hand (1e-12)"
TREC_DD = "the programs of TREC Dynamic Domain 2015 (2b188a5) and 2016 (f279c6f) (1e-9)"
