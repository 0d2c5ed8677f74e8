/** Like `Promise.all`, but rejects with the error of the first failed promise in the list, not in time. */
export const allOrFirstError = async <const Promises extends ReadonlyArray<unknown>>(
  promises: Promises
): Promise<{ readonly [Index in keyof Promises]: Awaited<Promises[Index]> }> => {
  // Handles the rejections that are not awaited below.
  void Promise.allSettled(promises)
  const results: Array<unknown> = []
  for (const promise of promises) results.push(await promise)
  return results as unknown as { readonly [Index in keyof Promises]: Awaited<Promises[Index]> }
}
