import { join, resolve } from "node:path"
import * as Effect from "effect/Effect"
import { contextName } from "../api/contextName.ts"
import { KubeconfigProblem, kubeconfigPath } from "./kubeconfigFile.ts"
import { lendContext } from "./lending.ts"
import { packageRoot } from "../packageRoot.ts"
import { badInput } from "./badInput.ts"
import { complain, leaveOutput, outliveOutput } from "./terminal.ts"
import { readPage } from "../api/page.ts"
import { resources } from "../domain/kinds.ts"
import { freshToken, serve } from "../serve.ts"
import { tokenIn } from "./tokenFile.ts"
import { wordsOf } from "../wordsOf.ts"
import type { BadInput } from "./badInput.ts"
import type { ExitCode } from "./exitCode.ts"
import type { Leaving } from "./leaving.ts"
import type { OpenedStage } from "./openStage.ts"
import type { Served } from "../serve.ts"

/** How a cluster is served. */
export interface Serving {
  readonly name: string
  readonly host: string
  readonly port: number
  /** The page's, where there is TLS; 0 for any that is free. */
  readonly pagePort: number
  /** The file that the token is read from, and written to where it is missing; a new token where it is left out. */
  readonly tokenFile: string | undefined
  readonly tls: boolean
  /** Where the context is written to; kubectl's own file where it is left out. */
  readonly kubeconfig: string | undefined
}

/** Serves the cluster of a stage while something is played on it, and from then on until it is told to go. */
export const serveStage = Effect.fnUntraced(function* <E>(
  stage: OpenedStage,
  options: Serving & { readonly leaving: Leaving; readonly playing: Effect.Effect<void, E> }
) {
  const { cluster, print, palette } = stage
  const { name, host, port, pagePort, tokenFile, tls, leaving, playing } = options
  outliveOutput()
  const token = tokenFile === undefined ? freshToken() : yield* tokenIn(tokenFile)
  const page = readPage(join(packageRoot(), "dist"))
  const served = yield* serve(cluster, { name, host, port, pagePort, tls, token }, undefined, page).pipe(
    Effect.mapError(({ message }) => badInput(message))
  )
  const path = options.kubeconfig ?? kubeconfigPath(process.env)
  // kubectl sends no token over plain HTTP: a context would do no more than take the place of another.
  const giveBack = tls ? yield* lend(path, served, leaving) : nothingLent
  const say = (lines: ReadonlyArray<string>): void => {
    for (const line of lines) print(palette.dim(line))
  }
  say([...(tls ? contextLines(served, path) : plainLines(served)), ...pageLines(served)])
  yield* Effect.raceFirst(playing, leaving.asked)
  say([...(tls ? nextCommands(stage, path) : []), "# Ctrl-C ends it"])
  yield* stay(stage, leaving.asked)
  leaveOutput()
  return giveBack()
})

/** Puts the context into a kubeconfig, and back again before the process goes. Returns what that comes to. */
const lend = (path: string, served: Served, leaving: Leaving): Effect.Effect<() => ExitCode, BadInput> =>
  Effect.tryPromise({
    try: async () => {
      const takeBack = await lendContext(path, served)
      let code: ExitCode = 0
      const giveBack = (): void => {
        try {
          takeBack()
        } catch (error) {
          code = 2
          process.exitCode = code
          complain(`error: ${wordsOf(error)}`)
        }
      }
      leaving.before(giveBack)
      return () => {
        giveBack()
        return code
      }
    },
    catch: (error) => {
      if (error instanceof KubeconfigProblem) return badInput(error.message)
      throw error
    }
  })

/** Shows what happens from now on, whoever does it. */
const stay = ({ cluster, show, startMillis }: OpenedStage, asked: Effect.Effect<void>) =>
  Effect.suspend(() => {
    const stop = cluster.onChange((change) => show.see(change, cluster.nowMillis() - startMillis))
    return Effect.ensuring(Effect.raceFirst(asked, show.stay), Effect.sync(stop))
  })

const contextLines = (served: Served, path: string): ReadonlyArray<string> => [
  `# serving ${served.url}`,
  `# kubectl's context is ${contextName(served.name)}, in ${path}, until this ends`
]

const plainLines = ({ url, token = "" }: Served): ReadonlyArray<string> => [
  `# serving ${url}`,
  "# kubectl sends no token over plain HTTP, so that no kubeconfig has a context for it; for programs:",
  `#   curl -H "Authorization: Bearer ${token}" ${url}/version`
]

const pageLines = ({ page }: Served): ReadonlyArray<string> =>
  page === undefined ? ["# the page is not built: npm run build"] : [`# page  ${page}`]

const nothingLent = (): ExitCode => 0

/** What to type next, about what is there. */
const nextCommands = ({ cluster }: OpenedStage, path: string): ReadonlyArray<string> => {
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
    // Without it the commands would go to a cluster that is not this one.
    ...(path === kubeconfigPath(process.env) ? [] : [`export KUBECONFIG='${resolve(path)}'`]),
    begin,
    // Until somebody moves it nothing happens.
    ...(cluster.clock.state().speed === 0 ? ["charthouse clock advance 1m"] : []),
    `kubectl rollout status deployment/${name}${where}`,
    `kubectl rollout undo deployment/${name}${where}`
  ]
  return ["", ...commands.map((command) => `#   ${command}`)]
}
