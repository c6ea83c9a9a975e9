import type { ChatMessage } from '@palimpsest/knowledge/models';

/**
 * A message with texts of users and documents: one JSON value. A text cannot end its string, and has no `<`, with which the control
 * words of chat templates begin. So instructions in a text stay inside it.
 */
export const dataMessage = (data: object): ChatMessage => ({ role: 'user', content: JSON.stringify(data).replaceAll('<', '\\u003c') });
