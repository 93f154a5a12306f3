"""The measures, one module for each family.

A new measure is a decorated function in a module of this folder; nothing else has to name it.
`rankprism.measures.registry` loads the modules when a name is looked up.
"""
