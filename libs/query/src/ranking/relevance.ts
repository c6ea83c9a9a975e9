/**
 * What is known about a passage, in figures that mean the same with every model and every index.
 * `standing`: how many standard deviations its cosine is above those of unrelated passages; missing without a vector of the query.
 * `share`: its BM25 score, as a share (0 to 1) of what the whole query could reach in its scope; missing if words were not searched.
 */
export type Evidence = Readonly<{ standing?: number; share?: number }>;

/** Logistic regression of judged results on their evidence, over several sets and two models: docs/explanation/quality.md. */
const BOTH = { bias: -6.03, standing: 0.75, share: 7.25 };
const VECTORS = { bias: -4.32, standing: 0.96 };
const WORDS = { bias: -4.48, share: 8.72 };

/**
 * The probability, 0 to 1, that a passage with this evidence is what the query looks for. Unlike a cosine or a fused score, it means the
 * same with another model, another fusion, and in another scope.
 */
export const relevanceOf = ({ standing, share }: Evidence): number => {
  if (standing !== undefined && share !== undefined) return logistic(BOTH.bias + BOTH.standing * standing + BOTH.share * share);
  if (standing !== undefined) return logistic(VECTORS.bias + VECTORS.standing * standing);
  return share === undefined ? 0 : logistic(WORDS.bias + WORDS.share * share);
};

const logistic = (value: number): number => 1 / (1 + Math.exp(-value));
