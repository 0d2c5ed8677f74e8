import { pathToFileURL } from "node:url"

/**
 * A process that runs one command after the other, each in its own folder: a new process would spend most of its time
 * on loading modules. The query of the import makes Node evaluate the main module again.
 */
export interface HostedRun {
  readonly args: ReadonlyArray<string>
  readonly folder: string
  readonly variables: Readonly<Record<string, string>>
}

export type HostMessage =
  | { readonly stream: "stdout" | "stderr"; readonly text: string }
  | { readonly code: number }

const [node = "", , main = ""] = process.argv
const send = (message: HostMessage): void => void process.send?.(message)
let runs = 0

const emitters: ReadonlyArray<NodeJS.EventEmitter> = [process, process.stdout, process.stderr]
const listenersNow = () =>
  emitters.flatMap((emitter) =>
    emitter.eventNames().flatMap((name) =>
      // Node types them as functions of any arguments.
      emitter.listeners(name).map((listener) => ({ emitter, name, listener: listener as () => void }))
    )
  )

const takeExitCode = (): number => {
  const code = Number(process.exitCode ?? 0)
  process.exitCode = undefined
  return code
}

const runCommand = async ({ args, folder, variables }: HostedRun): Promise<void> => {
  const environment = { ...process.env }
  const listeners = new Set(listenersNow().map(({ listener }) => listener))
  process.chdir(folder)
  Object.assign(process.env, variables)
  process.argv = [node, main, ...args]
  runs += 1
  await import(`${pathToFileURL(main).href}?run=${runs}`)
  const code = takeExitCode()
  process.env = environment
  for (const { emitter, name, listener } of listenersNow()) {
    if (!listeners.has(listener)) emitter.off(name, listener)
  }
  send({ code })
}

for (const stream of ["stdout", "stderr"] as const) {
  process[stream].write = (chunk: string | Uint8Array, ...rest: ReadonlyArray<unknown>): boolean => {
    send({ stream, text: typeof chunk === "string" ? chunk : Buffer.from(chunk).toString() })
    const onWritten = rest.find((it) => typeof it === "function")
    if (onWritten !== undefined) process.nextTick(onWritten)
    return true
  }
}
process.on("message", (run: HostedRun) => void runCommand(run))
process.on("disconnect", () => process.exit())
