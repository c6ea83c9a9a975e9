/** A program that opens the built-in model as an app does, embeds one text and ends. */
import { openOnnxEmbeddings } from '../src/index.ts';

const provider = await openOnnxEmbeddings({ threads: 1 });
await provider.embed(['a text'], 'passage');
await provider.close();
