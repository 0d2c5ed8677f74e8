/** Like `Promise.all`, but rejects with the first error in this order: equal requests fail with equal messages. */
export const allWithStableError = async <const Promises extends ReadonlyArray<unknown>>(
  promises: Promises
): Promise<{ readonly [Index in keyof Promises]: Awaited<Promises[Index]> }> => {
  // Handles the rejections of promises that are not awaited below any more.
  void Promise.allSettled(promises)
  const results: Array<unknown> = []
  for (const promise of promises) results.push(await promise)
  return results as unknown as { readonly [Index in keyof Promises]: Awaited<Promises[Index]> }
}
