from assay.judged_answers.asking import AnswerJudge as AnswerJudge
from assay.judged_answers.asking import AnswerJudgingRun as AnswerJudgingRun
from assay.judged_answers.draw import Draw as Draw
from assay.judged_answers.draw import draw_queries as draw_queries
from assay.judged_answers.draw import parse_draw as parse_draw
from assay.judged_answers.items import Item as Item
from assay.judged_answers.judged_answers import DEFAULT_METRICS as DEFAULT_METRICS
from assay.judged_answers.judged_answers import AnswerJudging as AnswerJudging
from assay.judged_answers.judged_answers import JudgedAnswers as JudgedAnswers
from assay.judged_answers.judged_answers import judge_answers as judge_answers
from assay.judged_answers.judged_answers import statements_of as statements_of
from assay.judged_answers.layers import CORRECTED as CORRECTED
from assay.judged_answers.layers import LAYERS as LAYERS
from assay.judged_answers.layers import MODEL as MODEL
from assay.judged_answers.scoring import AnswerScores as AnswerScores
from assay.judged_answers.scoring import reads_verdicts as reads_verdicts
from assay.judged_answers.statements import Statement as Statement
from assay.judged_answers.statements import Statements as Statements
from assay.judged_answers.statements import add_statements as add_statements
from assay.judged_answers.statements import read_statements as read_statements
from assay.judged_answers.verdict_files import SCHEMA as SCHEMA
from assay.judged_answers.verdict_files import read_verdicts as read_verdicts
from assay.judged_answers.verdict_files import verdict_lines as verdict_lines
from assay.judged_answers.verdict_files import write_form as write_form
from assay.judged_answers.verdict_files import write_verdicts as write_verdicts

__all__ = ["AnswerJudge", "AnswerJudging", "Item", "JudgedAnswers", "judge_answers", "read_verdicts"]
