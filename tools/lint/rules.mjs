/** Our own rule; no installed plugin has it. */
const SUPPRESSION = /^\s*eslint-disable/;
const REASON = / -- \S{3,}/;

const reasonedSuppression = {
  meta: { type: 'suggestion', schema: [], messages: { reason: 'A suppression needs a reason after " -- ".' } },
  create: (context) => ({
    Program: () => {
      for (const comment of context.sourceCode.getAllComments())
        if (SUPPRESSION.test(comment.value) && !REASON.test(comment.value)) context.report({ loc: comment.loc, messageId: 'reason' });
    },
  }),
};

export default { rules: { 'reasoned-suppression': reasonedSuppression } };
