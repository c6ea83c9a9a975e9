import { z } from 'zod';
import { list } from '../view.ts';

export const requiredLabels = z
  .record(z.string(), list(z.string()))
  .describe('Only documents that have one of these values of each label are shown and changed.');
