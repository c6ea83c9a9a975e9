import { Unavailable } from '@palimpsest/knowledge/errors';
import { describeChatModel } from './chat-model-kit.ts';
import { aFakeChatModel } from './fake-chat-model.ts';

describeChatModel('aFakeChatModel', {
  open: () => aFakeChatModel(),
  openBroken: {
    'no text': () => aFakeChatModel({ answer: () => '' }),
    'an outage': () => aFakeChatModel({ answer: () => Promise.reject(new Unavailable('it is away', { forCallers: true })) }),
  },
});
