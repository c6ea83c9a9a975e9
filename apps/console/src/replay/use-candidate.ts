import { useState } from 'react';
import { FilterError } from '../search/search-state.ts';
import { againstOf, type Candidate } from './candidate.ts';

/** A candidate that is being entered. `accepted`: false while its filter is none, which `problem` then explains. */
export const useCandidate = (given: Candidate) => {
  const [candidate, setCandidate] = useState(given);
  const [problem, setProblem] = useState<string>();
  const accepted = (): boolean => {
    try {
      againstOf(candidate);
      setProblem(undefined);
      return true;
    } catch (error) {
      if (!(error instanceof FilterError)) throw error;
      setProblem(error.message);
      return false;
    }
  };
  const change = (part: Partial<Candidate>): void => setCandidate((before) => ({ ...before, ...part }));
  return { candidate, problem, accepted, change };
};
