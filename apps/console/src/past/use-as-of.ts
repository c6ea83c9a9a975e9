import { useSearchParams } from 'react-router';
import { asOfIn, type AsOf } from './as-of.ts';

/** The moment in the address of the page. */
export const useAsOf = (): AsOf => asOfIn(useSearchParams()[0]);
