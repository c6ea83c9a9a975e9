import { aFakeReranker } from './fake-reranker.ts';
import { describeReranker } from './reranker-kit.ts';

describeReranker('aFakeReranker', {
  open: () => aFakeReranker(),
  openBroken: {
    'a score that is no number': () => aFakeReranker({ answer: ({ passages }) => passages.map(() => NaN) }),
    'too few scores': () => aFakeReranker({ answer: () => [1] }),
  },
});
