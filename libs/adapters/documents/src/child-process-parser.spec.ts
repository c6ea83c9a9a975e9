import { describeDocumentParser } from '@palimpsest/test-kit';
import { openDocumentParser } from './open-document-parser.ts';

describeDocumentParser('a pool of child processes', (caps) => openDocumentParser(caps));
