import type { ClusterUnderTest } from "./clusterUnderTest.ts"

/** Something that only a cluster of ours can do was asked of a real one. */
export class NotOnRealCluster extends Error {
  override readonly name = "NotOnRealCluster"
}

/** A test was about to write to what of a real cluster is not its own. */
export class ForeignWrite extends Error {
  override readonly name = "ForeignWrite"
}

/** What a test has made on a real cluster could not be deleted at its end. */
export class LeftBehind extends Error {
  override readonly name = "LeftBehind"
}

const time = "the time of a real cluster cannot be moved"
const between = "nobody stands between a real cluster and its clients"
const weather = "nothing is broken on purpose in a real cluster"
const whole = "a real cluster cannot be kept as a whole"

/** Passed on whole, so that they fail when they are used and not when they are handed over. */
const requestWords = ["all", "next", "clear", "seen", "dropped", "underWay", "sleeping", "watching"]

/** What a real cluster cannot, by the library's words for it. */
const limits: Readonly<Record<string, string>> = {
  advance: time,
  fault: weather,
  faults: weather,
  setKubelet: weather,
  snapshot: whole,
  fork: whole,
  bind: "a real cluster has a scheduler of its own",
  onChange: "a real cluster tells of its changes later: say watch"
}

const clockLimits = ["step", "pause", "resume", "setSpeed"]

/** Everything else fails with a sentence that says why it cannot be. */
export const cannotBe = (
  here: Pick<ClusterUnderTest, "isReal" | "serve"> & { readonly clock: object },
  url: string
): ClusterUnderTest => {
  const refuse = (name: string, why: string): never => {
    const advice =
      "ask cluster.isReal or cluster.canMoveTime before, or test without CHARTHOUSE_USE_KUBECONFIG"
    throw new NotOnRealCluster(`${name}: ${why} (${url}): ${advice}`)
  }
  const lacking = (object: object, names: ReadonlyArray<readonly [string, string]>): void => {
    for (const [name, why] of names) {
      if (name in object) continue
      // Not seen by those who print a cluster.
      Object.defineProperty(object, name, { enumerable: false, get: () => refuse(name, why) })
    }
  }
  const requests = {}
  lacking(
    requests,
    requestWords.map((name) => [name, between])
  )
  Object.assign(here, { requests, intercept: () => refuse("intercept", between) })
  lacking(here, Object.entries(limits))
  lacking(
    here.clock,
    clockLimits.map((name) => [name, time])
  )
  // All that is missing has been put there, to throw when it is asked for.
  return here as ClusterUnderTest
}
