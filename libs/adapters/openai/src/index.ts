export { openAiSource } from './openai-source.ts';
