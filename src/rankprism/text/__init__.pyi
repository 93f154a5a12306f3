from rankprism.text import documents as documents
from rankprism.text.foreign import escaped as escaped
from rankprism.text.foreign import message as message
from rankprism.text.foreign import quoted as quoted
from rankprism.text.foreign import shortened as shortened
from rankprism.text.foreign import shown as shown
from rankprism.text.foreign import shown_lines as shown_lines
from rankprism.text.markup import html_escaped as html_escaped
from rankprism.text.markup import latex_escaped as latex_escaped
from rankprism.text.markup import markdown_escaped as markdown_escaped
from rankprism.text.tables import text_table as text_table
from rankprism.text.words import found_in as found_in
from rankprism.text.words import query_words as query_words

__all__: list[str]
