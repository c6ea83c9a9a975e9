/** The one rule of ours that no plugin at hand has. */
const SUPPRESSION = /^\s*eslint-disable/;
const REASON = / -- \S{3,}/;

const reasonedSuppression = {
  meta: { type: 'suggestion', schema: [], messages: { reason: 'Say why after " -- ": a suppression needs a reason.' } },
  create: (context) => ({
    Program: () => {
      for (const comment of context.sourceCode.getAllComments())
        if (SUPPRESSION.test(comment.value) && !REASON.test(comment.value)) context.report({ loc: comment.loc, messageId: 'reason' });
    },
  }),
};

export default { rules: { 'reasoned-suppression': reasonedSuppression } };
