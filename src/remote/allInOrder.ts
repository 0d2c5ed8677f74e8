/**
 * Like `Promise.all`, but when several promises reject it rejects with the first in this order rather than the first
 * in time, so that equal requests fail with equal messages.
 */
export const allInOrder = async <const Asked extends ReadonlyArray<unknown>>(
  asked: Asked
): Promise<{ readonly [Index in keyof Asked]: Awaited<Asked[Index]> }> => {
  // Prevents unhandled rejections of the later promises.
  void Promise.allSettled(asked)
  const all: Array<unknown> = []
  for (const one of asked) all.push(await one)
  // Each element is the result of the promise at its index.
  return all as unknown as { readonly [Index in keyof Asked]: Awaited<Asked[Index]> }
}
