export { lookBack, type LookedBack, type Looking, type NotYet, type ViewsInTime } from '../access/look-back.ts';
export type { Moment, PastViews } from '../ports/read-view.ts';
export { asOf, asOfText, type AsOf } from '../values/as-of.ts';
