import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ChatModel, ChatRequest } from '@palimpsest/knowledge/models';
import fc from 'fast-check';
import { anyText } from './any-text.ts';

export type ChatModelUnderTest = Readonly<{
  /** A model that repeats the last message, and whose tokens are words. */
  open: () => Promise<ChatModel> | ChatModel;
  /** Models that give no usable answer: none, one that cannot be read, an error. */
  openBroken: Readonly<Record<string, () => Promise<ChatModel> | ChatModel>>;
}>;

const repeat = (content: string, maxTokens = 1_000): ChatRequest => ({
  messages: [
    { role: 'system', content: 'Repeat the last message.' },
    { role: 'user', content },
  ],
  maxTokens,
});

/** The contract of `ChatModel`. */
export const describeChatModel = (name: string, underTest: ChatModelUnderTest): void =>
  describe(`${name} fulfils the contract of ChatModel`, () => {
    let model: ChatModel;
    beforeAll(async () => {
      model = await underTest.open();
    });
    afterAll(() => model.close());

    it('has a version', () => expect(model.version).toMatch(/^\S{1,280}$/));

    it('gives the whole answer, whatever its characters are', () =>
      fc.assert(
        fc.asyncProperty(
          anyText({ maxLength: 60 }).filter((text) => text.trim() !== ''),
          async (text) => expect(await model.answer(repeat(text))).toBe(text),
        ),
        { numRuns: 20 },
      ));

    it('is Unavailable instead of giving a part of an answer', async () => {
      await expect(model.answer(repeat('one two three', 3))).resolves.toBe('one two three');
      await expect(model.answer(repeat('one two three', 2))).rejects.toMatchObject({ code: 'Unavailable', forCallers: true });
    });

    it('is Unavailable when the answer is blank', () =>
      expect(model.answer(repeat(' \n'))).rejects.toMatchObject({ code: 'Unavailable', forCallers: true }));

    it('keeps concurrent calls apart', async () => {
      const texts = Array.from({ length: 5 }, (_, i) => `text ${i}`);
      expect(await Promise.all(texts.map((text) => model.answer(repeat(text))))).toEqual(texts);
    });

    it('ends a call that was aborted with the reason of the signal', async () => {
      const reason = new Error('not needed any more');
      await expect(model.answer(repeat('text'), AbortSignal.abort(reason))).rejects.toBe(reason);
      const controller = new AbortController();
      const pending = model.answer(repeat('text'), controller.signal);
      controller.abort(reason);
      await expect(pending).rejects.toBe(reason);
    });

    it.each(Object.entries(underTest.openBroken))('is Unavailable with %s, in words without the texts', async (_, open) => {
      const broken = await open();
      const error = await broken.answer(repeat('a water pump')).then(
        (answer) => expect(answer).toBe('refused'),
        (thrown: unknown) => thrown,
      );
      await broken.close();
      expect(error).toMatchObject({ code: 'Unavailable', message: expect.not.stringMatching(/pump|127\.0\.0\.1|secret/) });
    });

    it('is Unavailable once it is closed', async () => {
      const closed = await underTest.open();
      await closed.close();
      await closed.close();
      await expect(closed.answer(repeat('text'))).rejects.toMatchObject({ code: 'Unavailable' });
    });
  });
