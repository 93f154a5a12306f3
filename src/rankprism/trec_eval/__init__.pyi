from rankprism.trec_eval import measures as measures

__all__: list[str]
