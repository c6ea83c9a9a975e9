"""
Expected values for the specs of libs/evaluation, from pytrec_eval, ir_measures, pyndeval, rbo, scipy and statsmodels.

  python3 -m venv /tmp/golden
  /tmp/golden/bin/pip install ir-measures==0.4.3 pytrec-eval-terrier==0.5.11 pyndeval==0.0.8 scipy==1.17.1 statsmodels==0.15.0 tqdm
  /tmp/golden/bin/pip install --no-deps rbo==0.1.3          (it asks for an older numpy than the others, and works with theirs)
  /tmp/golden/bin/python tools/eval/golden-evaluation.py    (Python 3.11, about 5 s)

Writes libs/evaluation/test/golden/measures.json, diversity.json, rankings.json and statistics.json. Runs are made from seeds, in the same way as
libs/evaluation/test/random-run.ts makes them, so only seeds and values are stored. For `palimpsest eval compare` it writes two runs and their
judgements in the format of TREC, with the expected values: apps/cli/test/golden.
"""
import json
import math
import os

import ir_measures
import numpy
import pyndeval
import pytrec_eval
import scipy.stats
from rbo import RankingSimilarity
from statsmodels.stats.multitest import multipletests

RUNS = 1200
DIVERSITY_RUNS = 400
FOLDER = os.path.join(os.path.dirname(__file__), '../../libs/evaluation/test/golden')
FILES = os.path.join(os.path.dirname(__file__), '../../apps/cli/test/golden')


class SeededRandom:
    """Mulberry32, as libs/foundation/src/system/seeded-random.ts."""

    def __init__(self, seed):
        self.state = seed & 0xFFFFFFFF

    def next(self):
        self.state = (self.state + 0x6D2B79F5) & 0xFFFFFFFF
        state = self.state
        mixed = ((state ^ (state >> 15)) * (state | 1)) & 0xFFFFFFFF
        mixed ^= (mixed + ((mixed ^ (mixed >> 7)) * (mixed | 61))) & 0xFFFFFFFF
        return (mixed ^ (mixed >> 14)) / 2**32

    def below(self, bound):
        return math.floor(self.next() * bound)


# Ids whose order differs between bytes, UTF-16 and alphabets.
PREFIXES = ['d', 'D', 'doc-', '\u00e9', 'z', '\uffc6', '\U0001f600', '']
DOCUMENTS = [f'{PREFIXES[index % 8]}{index}' for index in range(200)]


def random_run(seed):
    random = SeededRandom(seed)
    judgements = {}
    for _ in range(1 + random.below(40)):
        document = DOCUMENTS[random.below(200)]
        judgements[document] = random.below(4)
    scores = {}
    for _ in range(1 + random.below(150)):
        document = DOCUMENTS[random.below(200)]
        # Many equal scores, and many that are equal as 32-bit floats only.
        score = random.below(20) / 4 + random.below(3) * 1e-9
        scores.setdefault(document, score)
    return judgements, scores


def trec_order(scores):
    return sorted(scores, key=lambda id: (numpy.float32(scores[id]), id.encode()), reverse=True)


def write(name, value, folder=FOLDER):
    with open(os.path.join(folder, name), 'w') as file:
        json.dump(value, file, separators=(',', ':'), ensure_ascii=True)
        file.write('\n')


def measures():
    named = {
        'nDCG@10': 'ndcg_cut_10', 'nDCG@3': 'ndcg_cut_3', 'nDCG': 'ndcg', 'R@10': 'recall_10', 'R@100': 'recall_100',
        'P@5': 'P_5', 'RR': 'recip_rank', 'Success@5': 'success_5', 'AP': 'map', 'AP@10': 'map_cut_10',
    }
    # ir_measures orders equal scores in another way for these two, so they get the ranking of trec_eval with scores that all differ.
    by_rank = {'RR@10': ir_measures.RR @ 10, 'Judged@10': ir_measures.Judged @ 10}
    rows = []
    for seed in range(RUNS):
        judgements, scores = random_run(seed)
        evaluator = pytrec_eval.RelevanceEvaluator(
            {'q': judgements}, {'ndcg_cut.3,10', 'ndcg', 'recall.10,100', 'P.5', 'recip_rank', 'success.5', 'map', 'map_cut.10'})
        values = evaluator.evaluate({'q': scores})['q']
        order = trec_order(scores)
        strict = {'q': {document: float(len(order) - rank) for rank, document in enumerate(order)}}
        strict_values = ir_measures.calc_aggregate(list(by_rank.values()), {'q': judgements}, strict)
        row = [values[name] for name in named.values()] + [strict_values[measure] for measure in by_rank.values()]
        rows.append([round(float(value), 11) for value in row])
    write('measures.json', {'measures': list(named) + list(by_rank), 'values': rows})


def random_diversity(seed):
    random = SeededRandom(seed)
    subtopics = [{} for _ in range(1 + random.below(6))]
    for _ in range(1 + random.below(60)):
        document = DOCUMENTS[random.below(40)]
        subtopic = random.below(len(subtopics))
        subtopics[subtopic][document] = random.below(3)
    scores = {}
    for _ in range(1 + random.below(60)):
        document = DOCUMENTS[random.below(40)]
        score = random.below(20) / 4 + random.below(3) * 1e-9
        scores.setdefault(document, score)
    return subtopics, scores


def diversity():
    """pyndeval orders equal scores in another way and has no depth beyond 20. Its values are above 1 where a run beats the greedy ideal one."""
    depths = [1, 3, 5, 10, 20]
    rows = []
    for seed in range(DIVERSITY_RUNS):
        subtopics, scores = random_diversity(seed)
        order = trec_order(scores)
        judged = [('q', str(at), document, grade) for at, grades in enumerate(subtopics) for document, grade in grades.items()]
        run = [('q', document, float(len(order) - rank)) for rank, document in enumerate(order)]
        values = pyndeval.ndeval(judged, run, [f'alpha-nDCG@{depth}' for depth in depths], alpha=0.5)['q']
        rows.append([round(float(values[f'alpha-nDCG@{depth}']), 11) for depth in depths])
    write('diversity.json', {'measures': [f'alpha_nDCG@{depth}' for depth in depths], 'values': rows})


def rankings():
    """Extrapolated rank-biased overlap of the rankings of seeds 2i and 2i + 1."""
    rows = []
    for pair in range(300):
        p = [0.5, 0.9, 0.98][pair % 3]
        first, second = (trec_order(random_run(2 * pair + side)[1]) for side in (0, 1))
        rows.append([p, round(float(RankingSimilarity(first, second).rbo_ext(p=p)), 12)])
    write('rankings.json', {'rbo': rows})


def statistics():
    exact = []
    for seed in range(40):
        random = SeededRandom(seed)
        size = 2 + seed % 12
        differences = [round(random.next() - 0.35, 3) if random.next() < 0.7 else 0.0 for _ in range(size)]
        test = scipy.stats.permutation_test((numpy.array(differences),), lambda x, axis: numpy.mean(x, axis=axis),
                                            permutation_type='samples', n_resamples=numpy.inf, vectorized=True)
        exact.append({'differences': differences, 'p': float(test.pvalue)})
    # More than 13 queries are drawn: compared with all 2 ** 18 sign patterns.
    larger = []
    for seed in range(100, 106):
        random = SeededRandom(seed)
        differences = [round(random.next() - 0.4, 3) for _ in range(18)]
        signs = 1 - 2 * ((numpy.arange(2**18)[:, None] >> numpy.arange(18)) & 1)
        sums = numpy.abs(signs @ numpy.array(differences))
        larger.append({'differences': differences, 'p': float(numpy.mean(sums >= abs(sum(differences)) - 1e-9))})
    adjusted = []
    for seed in range(30):
        random = SeededRandom(seed)
        ps = [round(random.next() ** 3, 4) for _ in range(1 + seed % 7)]
        adjusted.append({'ps': ps, 'adjusted': [float(p) for p in multipletests(ps, method='holm')[1]]})
    probabilities = [0.0005, 0.005, 0.0125, 0.025, 0.2, 0.5, 0.8, 0.975, 0.99]
    write('statistics.json', {
        'exact': exact,
        'larger': larger,
        'holm': adjusted,
        'normal': [[p, float(scipy.stats.norm.ppf(p))] for p in probabilities],
        't': [[p, degrees, float(scipy.stats.t.ppf(p, degrees))] for p in probabilities for degrees in (1, 2, 3, 9, 49, 300, 9999)],
    })


QUERIES = 60


def random_judgements(random):
    """Grades from -1 to 3 by subtopic. The last queries have no relevant document."""
    judgements = {}
    for number in range(QUERIES + 3):
        grades = judgements[f'q{number}'] = {}
        for _ in range(1 + random.below(20)):
            key = (str(random.below(3)), DOCUMENTS[random.below(40)])
            grades[key] = random.below(5) - 1 if number < QUERIES else 0
    return judgements


def random_trec_run(random, missing):
    """Without some judged queries, and with one that has no judgements. Most documents are unjudged, many scores are equal."""
    run = {}
    for query in ['unjudged'] + [f'q{number}' for number in range(QUERIES + 3) if number not in missing]:
        scores = run[query] = {}
        for _ in range(1 + random.below(30)):
            scores.setdefault(DOCUMENTS[random.below(50)], random.below(12) / 4 + random.below(3) * 1e-9)
    return run


def files():
    """Judgements and two runs as files, and what the tools say: of each measure the mean, and nDCG@10 of each query."""
    random = SeededRandom(20261128)
    judgements = random_judgements(random)
    runs = {'before': random_trec_run(random, {4, 17}), 'after': random_trec_run(random, {5, 17, 40, 41})}
    with open(os.path.join(FILES, 'judgements.qrels'), 'w') as file:
        for query, grades in judgements.items():
            file.writelines(f'{query} {subtopic} {document} {grade}\n' for (subtopic, document), grade in grades.items())
    for name, run in runs.items():
        with open(os.path.join(FILES, f'{name}.trec'), 'w') as file:
            for query, scores in run.items():
                file.writelines(f'{query} Q0 {document} {rank} {score!r} golden\n' for rank, (document, score) in enumerate(scores.items()))
    qrels = {}
    for query, grades in judgements.items():
        highest = {}
        for (_, document), grade in grades.items():
            highest[document] = max(grade, highest.get(document, grade))
        if any(grade >= 1 for grade in highest.values()):
            qrels[query] = highest
    subtopics = [(query, subtopic, document, grade)
                 for query in qrels for (subtopic, document), grade in judgements[query].items()]
    write('expected.json', {'queries': len(qrels), **{name: values_of(run, qrels, subtopics) for name, run in runs.items()}}, FILES)


def values_of(run, qrels, subtopics):
    named = {'nDCG@10': 'ndcg_cut_10', 'R@10': 'recall_10', 'R@100': 'recall_100', 'AP': 'map', 'Success@1': 'success_1', 'Success@10': 'success_10'}
    wanted = {'ndcg_cut.10', 'recall.10,100', 'map', 'success.1,10'}
    by_query = pytrec_eval.RelevanceEvaluator(qrels, wanted).evaluate(run)
    # As `trec_eval -c`: a query without results counts as 0.
    means = {name: sum(values[key] for values in by_query.values()) / len(qrels) for name, key in named.items()}
    strict = {query: {document: float(len(scores) - rank) for rank, document in enumerate(trec_order(scores))}
              for query, scores in run.items() if query in qrels}
    for measure in (ir_measures.RR @ 10, ir_measures.Judged @ 10):
        means[str(measure)] = ir_measures.calc_aggregate([measure], qrels, strict)[measure]
    lines = [(query, document, score) for query, scores in strict.items() for document, score in scores.items()]
    diversity_by_query = pyndeval.ndeval(subtopics, lines, ['alpha-nDCG@10'], alpha=0.5)
    # pyndeval gives more than 1 to a run that is better than the greedy ideal one.
    means['alpha_nDCG@10'] = sum(min(1.0, values['alpha-nDCG@10']) for values in diversity_by_query.values()) / len(qrels)
    rounded = {query: round(float(by_query[query]['ndcg_cut_10']) if query in by_query else 0.0, 11) for query in qrels}
    return {'means': {name: round(float(value), 11) for name, value in means.items()}, 'nDCG@10': rounded}


measures()
diversity()
rankings()
statistics()
files()
