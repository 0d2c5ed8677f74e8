import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { applyDocuments } from "../manifests/applyManifests.ts"
import { contextName, kubeconfigEntries } from "../api/kubeconfig.ts"
import { exitCodeOf } from "./reports.ts"
import { filesIn } from "./folders.ts"
import { KubeconfigProblem, kubeconfigPath, writeKubeconfig } from "./kubeconfigFile.ts"
import { openStage, refusing, rehearse } from "./run.ts"
import { playActs } from "./play.ts"
import { BadInput, readInput } from "./input.ts"
import { resources } from "../domain/kinds.ts"
import { serve } from "../serve.ts"
import type { Served } from "../serve.ts"
import type { ExitCode, OpenedStage, RunOptions } from "./run.ts"

/** What is asked for on the command line. */
export interface UpOptions extends Omit<RunOptions, "pace"> {
  readonly name: string
  readonly host: string
  readonly port: number
  readonly tls: boolean
  /** Where the context is written to; kubectl's own file where it is left out. */
  readonly kubeconfig: string | undefined
}

/** A cluster that stays until it is told to go: applies files, shows their rollouts and serves the API. */
export const serveFiles = (options: UpOptions): Effect.Effect<ExitCode> =>
  Effect.scoped(
    Effect.gen(function* () {
      const files = yield* filesIn(options.files)
      const input = yield* readInput({ ...options, files })
      yield* rehearse(input)
      const signal = yield* untilSignal
      const stage = yield* openStage(options, input)
      const { cluster, show, startMillis, print, palette } = stage
      const served = yield* serve(cluster, options).pipe(
        Effect.catchTag("CannotServe", ({ message }) => new BadInput({ lines: [`error: ${message}`] }))
      )
      const path = options.kubeconfig ?? kubeconfigPath(process.env)
      yield* lendContext(path, served)
      for (const line of servingLines(served, path)) print(palette.dim(line))
      const acts = input.files.map(({ name, documents }) => ({
        title: name,
        apply: applyDocuments(cluster.store, documents)
      }))
      const playing = Effect.map(playActs({ cluster, startMillis, show, acts }), (reports) => {
        if (reports.length > 0) show.end(reports, exitCodeOf(reports))
        return reports
      })
      yield* Effect.raceFirst(Effect.asVoid(playing), signal)
      for (const line of nextCommands(stage)) print(palette.dim(line))
      yield* stay(stage, signal)
      return 0 as const
    })
  ).pipe(refusing)

/** Ends when somebody asks the process to go. The first request is heard; a second one ends it at once. */
const untilSignal: Effect.Effect<Effect.Effect<void>, never, Scope.Scope> = Effect.gen(function* () {
  const asked = yield* Deferred.make<void>()
  const hear = (): void => {
    Deferred.doneUnsafe(asked, Effect.void)
  }
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const
  for (const signal of signals) process.once(signal, hear)
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      for (const signal of signals) process.off(signal, hear)
    })
  )
  return Deferred.await(asked)
})

/** Puts the context into a kubeconfig for as long as the scope lasts, and longer than no process does. */
const lendContext = (path: string, served: Served): Effect.Effect<void, BadInput, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.try({
      try: () => {
        const takeBack = writeKubeconfig(path, kubeconfigEntries(served))
        // Whatever ends the process, a failure that nobody foresaw included, comes by here.
        process.once("exit", takeBack)
        return takeBack
      },
      catch: (error) => {
        if (error instanceof KubeconfigProblem) return new BadInput({ lines: [`error: ${error.message}`] })
        throw error
      }
    }),
    (takeBack) =>
      Effect.sync(() => {
        process.off("exit", takeBack)
        takeBack()
      })
  )

/** Shows what happens from now on. A virtual clock stands still until somebody moves it. */
const stay = ({ cluster, show, startMillis, isVirtual }: OpenedStage, signal: Effect.Effect<void>) =>
  Effect.gen(function* () {
    const stop = cluster.onChange((change) => show.see(change, cluster.nowMillis() - startMillis))
    let isOver = false
    const over = Effect.map(signal, () => {
      isOver = true
    })
    const following = isVirtual ? Effect.never : show.follow(() => isOver, foreverMillis)
    yield* Effect.ensuring(Effect.raceFirst(over, Effect.asVoid(following)), Effect.sync(stop))
  })

/** Longer than anybody watches. */
const foreverMillis = 10 * 365 * 86_400_000

const servingLines = (served: Served, path: string): ReadonlyArray<string> => [
  `# serving ${served.url}`,
  `# kubectl's context is ${contextName(served.name)}, in ${path}, until this ends`
]

/** What to type next, about what is there. */
const nextCommands = ({ cluster }: OpenedStage): ReadonlyArray<string> => {
  const [deployment] = cluster.view.all(resources.deployments)
  const { name = "web", namespace = "default" } = deployment?.metadata ?? {}
  const where = namespace === "default" ? "" : ` -n ${namespace}`
  const container = deployment?.spec.template.spec?.containers[0]
  const [image = "nginx"] = (container?.image ?? "").split(":")
  const begin =
    deployment === undefined
      ? "kubectl create deployment web --image=nginx --replicas=3"
      : `kubectl set image deployment/${name} ${container?.name ?? "*"}=${image}:next${where}`
  const commands = [
    begin,
    `kubectl rollout status deployment/${name}${where}`,
    `kubectl rollout undo deployment/${name}${where}`
  ]
  return ["", ...commands.map((command) => `#   ${command}`), "# Ctrl-C ends it"]
}
