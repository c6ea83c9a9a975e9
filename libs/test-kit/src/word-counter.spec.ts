import { describeTokenCounter } from './token-counter-kit.ts';
import { wordCounter } from './word-counter.ts';

describeTokenCounter('wordCounter', () => wordCounter);

it('counts words', () => expect([wordCounter.count('two  words '), [...wordCounter.tokenStarts(' two  words ')]]).toEqual([2, [0, 6]]));
