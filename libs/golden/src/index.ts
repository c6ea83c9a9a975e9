export { LogGoldenQueries } from './log-golden-queries.ts';
export { golden } from './nest/golden-feature.ts';
