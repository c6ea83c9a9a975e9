import { realData } from '@palimpsest/e2e-support/real-data';
import { describeDocuments } from './documents-scenario.ts';

describeDocuments(realData('documents'));
