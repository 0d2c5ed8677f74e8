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

export interface Serving {
  readonly name: string
  readonly host: string
  readonly port: number
  /** With TLS, the page has a port of its own; 0 for any free one. */
  readonly pagePort: number
  /** Read, or created if missing; without a file, the token is new each time. */
  readonly tokenFile: string | undefined
  readonly tls: boolean
  /** The kubeconfig to add the context to; kubectl's by default. */
  readonly kubeconfig: string | undefined
}

/** Serves a cluster while `playing` runs, and then until a signal comes. */
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
  // kubectl sends no token over plain HTTP, so that a context would be useless.
  const removeContext = tls ? yield* installContextUntilExit(path, served, leaving) : noContext
  const printDimmed = (lines: ReadonlyArray<string>): void => {
    for (const line of lines) print(palette.dim(line))
  }
  printDimmed([...(tls ? contextLines(served, path) : plainLines(served)), ...pageLines(served)])
  yield* Effect.raceFirst(playing, leaving.asked)
  printDimmed([...(tls ? nextCommands(stage, path) : []), "# Ctrl-C ends it"])
  yield* renderUntilShutdown(stage, leaving.asked)
  leaveOutput()
  return removeContext()
})

/**
 * Installs the context and removes it before the process exits. Returns a function that removes it and returns the
 * exit code.
 */
const installContextUntilExit = (
  path: string,
  served: Served,
  shutdown: Leaving
): Effect.Effect<() => ExitCode, BadInput> =>
  Effect.tryPromise({
    try: async () => {
      const uninstall = await lendContext(path, served)
      let code: ExitCode = 0
      const removeContext = (): void => {
        try {
          uninstall()
        } catch (error) {
          code = 2
          process.exitCode = code
          complain(`error: ${wordsOf(error)}`)
        }
      }
      shutdown.before(removeContext)
      return () => {
        removeContext()
        return code
      }
    },
    catch: (error) => {
      if (error instanceof KubeconfigProblem) return badInput(error.message)
      throw error
    }
  })

const renderUntilShutdown = ({ cluster, show, startMillis }: OpenedStage, shutdown: Effect.Effect<void>) =>
  Effect.suspend(() => {
    const stop = cluster.onChange((change) => show.see(change, cluster.nowMillis() - startMillis))
    return Effect.ensuring(Effect.raceFirst(shutdown, show.stay), Effect.sync(stop))
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

const noContext = (): ExitCode => 0

const nextCommands = ({ cluster }: OpenedStage, path: string): ReadonlyArray<string> => {
  const [deployment] = cluster.view.all(resources.deployments)
  const { name = "web", namespace = "default" } = deployment?.metadata ?? {}
  const where = namespace === "default" ? "" : ` -n ${namespace}`
  const container = deployment?.spec.template.spec?.containers[0]
  const [image = "nginx"] = (container?.image ?? "").split(":")
  const firstCommand =
    deployment === undefined
      ? "kubectl create deployment web --image=nginx --replicas=3"
      : `kubectl set image deployment/${name} ${container?.name ?? "*"}=${image}:next${where}`
  const commands = [
    // Otherwise kubectl would use another cluster.
    ...(path === kubeconfigPath(process.env) ? [] : [`export KUBECONFIG='${resolve(path)}'`]),
    firstCommand,
    ...(cluster.clock.state().speed === 0 ? ["charthouse clock advance 1m"] : []),
    `kubectl rollout status deployment/${name}${where}`,
    `kubectl rollout undo deployment/${name}${where}`
  ]
  return ["", ...commands.map((command) => `#   ${command}`)]
}
