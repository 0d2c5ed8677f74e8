/**
 * What all of several questions come to, as `Promise.all` has it. Of several that fail the first in this order is told,
 * whichever fails first, so that the same questions to the same server end in the same words.
 */
export const allInOrder = async <const Asked extends ReadonlyArray<unknown>>(
  asked: Asked
): Promise<{ readonly [Index in keyof Asked]: Awaited<Asked[Index]> }> => {
  // Nobody hears of those behind one that fails.
  void Promise.allSettled(asked)
  const all: Array<unknown> = []
  for (const one of asked) all.push(await one)
  // One for one.
  return all as unknown as { readonly [Index in keyof Asked]: Awaited<Asked[Index]> }
}
