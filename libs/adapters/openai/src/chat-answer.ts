import { Unavailable } from '@palimpsest/knowledge/errors';
import { fieldsOf } from './fields-of.ts';

/** Parses a response of the form `{ choices: [{ message: { content }, finish_reason }] }`. @throws Unavailable if it is not one whole text */
export const chatAnswer = (answer: unknown): string => {
  const { choices } = fieldsOf(answer);
  const { message, finish_reason: ended } = fieldsOf(Array.isArray(choices) ? choices[0] : undefined);
  const { content } = fieldsOf(message);
  if (ended === 'length') throw unusable('an answer that was cut off');
  if (typeof content !== 'string' || content.trim() === '') throw unusable('no text');
  return content;
};

const unusable = (what: string): Unavailable => new Unavailable(`the chat model returned ${what}`, { forCallers: true });
