import { SYSTEM } from '@palimpsest/foundation';
import { Unavailable } from '@palimpsest/knowledge/errors';
import { aFakeChatModel, describeChatModel } from '@palimpsest/test-kit';
import { ManualTime } from '../../test/manual-time.ts';
import { breakingChatModel } from './breaking-chat-model.ts';

describeChatModel('breakingChatModel', {
  open: () => breakingChatModel(aFakeChatModel(), SYSTEM),
  openBroken: { 'no text': () => breakingChatModel(aFakeChatModel({ answer: () => '' }), SYSTEM) },
});

describe('A chat model behind a circuit breaker', () => {
  it('is not asked while its endpoint fails, and again after a pause', async () => {
    const time = new ManualTime();
    const state = { away: true };
    const fake = aFakeChatModel({ answer: () => (state.away ? Promise.reject(new Unavailable('500')) : 'text') });
    const model = breakingChatModel(fake, time);
    const ask = () => model.answer({ messages: [{ role: 'user', content: 'text' }], maxTokens: 9 });
    for (let i = 0; i < 3; i++) await expect(ask()).rejects.toThrow('500');
    await expect(ask()).rejects.toMatchObject({
      code: 'Unavailable',
      message: expect.stringContaining('failed 3 times'),
      forCallers: true,
    });
    expect(fake.calls).toHaveLength(3);
    await time.pass(5_000);
    state.away = false;
    await expect(ask()).resolves.toBe('text');
  });
});
