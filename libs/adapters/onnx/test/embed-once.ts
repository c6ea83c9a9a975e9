/** A program that opens the built-in model like an app, embeds one text and exits. */
import { openOnnxEmbeddings } from '../src/index.ts';

const provider = await openOnnxEmbeddings({ threads: 1 });
await provider.embed(['a text'], 'passage');
await provider.close();
