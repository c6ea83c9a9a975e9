import { describeDocuments } from './documents-scenario.ts';
import { withoutLongTexts } from './selected-documents.ts';

/** All of them are in `documents-long.spec.ts`. */
describeDocuments(await withoutLongTexts());
