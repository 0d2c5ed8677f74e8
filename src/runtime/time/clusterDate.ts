/** Node's own class, also while a test fakes the global one. */
const MachineDate = Date

/** A `Date` whose present comes from the cluster's clock. */
export const makeClusterDate = (nowMillis: () => number): DateConstructor => {
  const now = (): number => Math.floor(nowMillis())
  function ClusterDate(...args: ReadonlyArray<unknown>): unknown {
    if (new.target === undefined) return new MachineDate(now()).toString()
    const calledClass: unknown = new.target
    // A class that extends this one makes dates of its own class.
    const newTarget = calledClass === ClusterDate ? MachineDate : new.target
    return Reflect.construct(MachineDate, args.length === 0 ? [now()] : args, newTarget)
  }
  Object.setPrototypeOf(ClusterDate, MachineDate)
  Object.defineProperties(ClusterDate, {
    name: { value: "Date", configurable: true },
    length: { value: MachineDate.length, configurable: true },
    prototype: { value: MachineDate.prototype },
    now: { value: now, writable: true, configurable: true }
  })
  return ClusterDate as unknown as DateConstructor
}
