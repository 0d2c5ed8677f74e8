export const podParts = {
  store: "the object store: writes, indexes, watches",
  charts: "guards and assignments of the statecharts",
  compiler: "transitions, actions and snapshots of compiled charts",
  XState: "the package: actors, and charts that are not compiled",
  Effect: "the package: fibers, queues, services",
  time: "the kernel, the clock and its timers",
  runtime: "mailboxes, the reconciler, supervision",
  controllers: "looks and commands, without the scheduler's",
  scheduler: "the scheduler",
  kubernetes: "the rules, and what they ask of objects",
  "rest of the project": "cluster, faults, behaviours",
  "other packages": "patches, equality, chance",
  Node: "Node's own modules, and the machine's code",
  GC: "collections, on the main thread",
  "other threads": "collections and compilation beside it"
} as const

export type PodPart = keyof typeof podParts

/** By the path of a module of this or an earlier commit, relative to its checkout; the first that matches. */
const places: ReadonlyArray<readonly [RegExp, PodPart]> = [
  [/(^|\/)node_modules\/xstate\//, "XState"],
  [/(^|\/)node_modules\/effect\//, "Effect"],
  [/(^|\/)node_modules\//, "other packages"],
  [/^node:/, "Node"],
  [/^(dist\/)?machines\//, "charts"],
  [/\/src\/compiler\//, "compiler"],
  [/\/src\/store\//, "store"],
  [/\/src\/controllers\/scheduler\b|\/src\/scheduler\//, "scheduler"],
  [/\/src\/controllers\//, "controllers"],
  [/\/src\/runtime\/(time\/|kernel|timeline|timerHeap|keyTimers|clusterClock|timers\b)/, "time"],
  [/\/src\/runtime\//, "runtime"],
  [/\/src\/(kubernetes|domain)\//, "kubernetes"],
  [/\/src\//, "rest of the project"]
]

/** Undefined for code outside modules. */
export const podPartOf = (path: string): PodPart | undefined =>
  places.find(([place]) => place.test(path))?.[1]

/** A file of a bundle names each of its modules in a comment before its lines. */
export interface BundledModules {
  /** The path of the module that a line, counted from 0, comes from. Undefined before the first one. */
  readonly moduleAt: (line: number) => string | undefined
}

export const bundledModules = (text: string): BundledModules => {
  const modules = text.split("\n").flatMap((line, index) => {
    const path = /^\/\/ ((?:dist|node_modules)\/\S+)$/.exec(line)?.[1]
    return path === undefined ? [] : [{ index, path }]
  })
  return { moduleAt: (line) => modules.findLast(({ index }) => index <= line)?.path }
}

interface ProfiledFunction {
  readonly functionName: string
  readonly url: string
  readonly lineNumber: number
}

/** A tree of calls; `self` is what the function itself took. */
export interface Calls {
  readonly callFrame: ProfiledFunction
  readonly self: number
  readonly children: ReadonlyArray<Calls>
}

/**
 * Code outside modules counts to its nearest caller in one. `modulesOf` gives the modules of a bundle by its URL;
 * undefined for other files.
 */
export const sumByPart = (
  root: Calls,
  modulesOf: (url: string) => BundledModules | undefined
): ReadonlyMap<PodPart, number> => {
  const sums = new Map<PodPart, number>()
  const partOf = ({ functionName, url, lineNumber }: ProfiledFunction): PodPart | "idle" | undefined => {
    if (functionName === "(garbage collector)") return "GC"
    if (functionName === "(idle)") return "idle"
    if (url === "") return undefined
    return podPartOf(modulesOf(url)?.moduleAt(lineNumber) ?? url)
  }
  const visit = ({ callFrame, self, children }: Calls, caller: PodPart): void => {
    const part = partOf(callFrame) ?? caller
    if (part === "idle") return
    sums.set(part, (sums.get(part) ?? 0) + self)
    for (const child of children) visit(child, part)
  }
  visit(root, "Node")
  return sums
}
