import { spawn } from "node:child_process"
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { request } from "node:https"
import { join } from "node:path"
import { splitPage } from "./normalize.ts"

interface Printed {
  readonly stdout: string
  readonly stderr: string
  readonly code: string
}

/** Lines for a served cluster: of the command, or `METHOD PATH BODY` for its API. */
const linesOf = (): ReadonlyArray<string> => [
  "clock now",
  "get rollout deployment/web",
  "explain deployment/web",
  "clock settle",
  "get rollout deployment/web",
  "explain deployment/web -o json",
  "PATCH /apis/apps/v1/namespaces/default/deployments/web web:2.0",
  "clock advance 2s",
  "get rollout deployment/web",
  "explain deployment/web",
  "explain deployment/web -o json",
  "why deployment/web",
  "why deployment/web -o json --last 20",
  "EACH replicasets explain rs/",
  "EACH replicasets why replicaset/",
  "EACH pods explain pod/",
  "EACH pods why pod/",
  "EACH nodes explain node/",
  "EACH nodes why node/",
  "fault nodeLost node=node-2 for=5m",
  "fault crash pods={deployment:web,count:2} reason=OOMKilled",
  "fault crash pods={deployment:odd,count:2}",
  "fault odd",
  "fault writesRefused of=replicaSet code=409 times=3 for=20s -o json",
  "fault watchLate of=deployment by=2s for=1m",
  "fault list",
  "clock advance 30s",
  "fault list -o json",
  "explain deployment/web",
  "EACH pods explain pod/",
  "EACH nodes explain node/",
  "clock step",
  "clock advance 1m",
  "fault end fault-1",
  "fault end fault-9",
  "EACH nodes explain node/",
  "PATCH /apis/apps/v1/namespaces/default/deployments/web web:broken",
  "clock advance 40s",
  "explain deployment/web",
  "EACH pods explain pod/",
  "EACH pods why pod/",
  "clock advance 11m",
  "explain deployment/web",
  "explain deployment/web -o json",
  "get rollout deployment/web",
  "explain deployment/absent",
  "explain pod/absent",
  "why pod/absent",
  "why odd/web",
  "clock now",
  "clock odd",
  "snapshot save saved.json",
  "record -o web.recording",
  "replay web.recording -o web.html",
  "fault end --all"
]

/** Serves a cluster with one tree's command, and asks it with the others. */
export const runSessions = async (options: {
  readonly tree: string
  readonly inputs: string
  readonly out: string
}): Promise<void> => {
  const { tree, inputs, out } = options
  for (const seed of [1, 2]) {
    const folder = `${out}.work`
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    cpSync(join(inputs, "examples"), join(folder, "examples"), { recursive: true })
    const kubeconfig = join(folder, "kubeconfig")
    const flags = `-f examples/web-v1.yaml --behaviour examples/behaviours.yaml --seed ${seed} --clock virtual --why -o events`
    const given = ["up", "--name", "compared", "--kubeconfig", kubeconfig, ...flags.split(" ")]
    const server = await serve(tree, folder, given)
    const access = readFileSync(kubeconfig, "utf8")
    write(out, `session-${seed}-kubeconfig`, neutralConfig(access))
    const url = /server: (\S+)/.exec(access)?.[1] ?? ""
    const token = /token: (\S+)/.exec(access)?.[1] ?? ""
    const ask = (method: string, path: string, body?: object): Promise<string> =>
      send(url + path, token, method, body)
    let number = 0
    const keep = (line: string, printed: Printed): void => {
      number += 1
      const text = `$ ${line}\n${printed.stdout}\n! ${printed.stderr}\n[exit ${printed.code}]\n`
      write(out, `session-${seed}-${String(number).padStart(3, "0")}.txt`, neutral(text))
    }
    const neutral = (text: string): string =>
      text
        .replaceAll(url, "URL")
        .replaceAll(token, "TOKEN")
        .replaceAll(folder, "WORK")
        .replaceAll(tree, "TREE")
    const call = async (line: string): Promise<void> =>
      keep(line, await run(tree, folder, [...line.split(" "), "--kubeconfig", kubeconfig]))
    for (const line of linesOf()) {
      const [verb = "", kind = "", ...rest] = line.split(" ")
      if (verb === "PATCH") {
        const body = {
          spec: {
            template: { spec: { containers: [{ name: "web", image: `registry.example/${rest[0]}` }] } }
          }
        }
        keep(line, { stdout: await ask("PATCH", kind, body), stderr: "", code: "" })
      } else if (verb === "EACH") {
        const group = kind === "replicasets" ? "/apis/apps/v1" : "/api/v1"
        const list = JSON.parse(await ask("GET", `${group}/${kind}`)) as {
          readonly items: ReadonlyArray<{ readonly metadata: { readonly name: string } }>
        }
        // Three are enough: a process for each.
        for (const { metadata } of list.items.slice(0, 3)) await call(`${rest.join(" ")}${metadata.name}`)
      } else await call(line)
    }
    for (const path of [
      "/charthouse/v1/recording",
      "/charthouse/v1/snapshot",
      "/api/v1/events",
      "/apis/apps/v1/deployments"
    ]) {
      write(out, `session-${seed}${path.replaceAll("/", "_")}`, neutral(await ask("GET", path)))
    }
    for (const file of ["saved.json", "web.recording", "web.html"]) {
      try {
        write(out, `session-${seed}-${file}`, readFileSync(join(folder, file), "utf8"))
      } catch {
        write(out, `session-${seed}-${file}`, "(not there)")
      }
    }
    // From here on the machine's time is in what they say.
    for (const line of ["clock speed odd", "clock resume", "clock pause"]) await call(line)
    keep("up", await server.end())
    rmSync(folder, { recursive: true })
  }
}

const neutralConfig = (text: string): string =>
  text.replaceAll(/(data|token): \S+/g, "$1").replaceAll(/server: \S+/g, "server")

const write = (out: string, name: string, text: string): void => {
  for (const [part, content] of splitPage(name, text)) writeFileSync(join(out, part), content)
}

const start = (tree: string, cwd: string, args: ReadonlyArray<string>) => {
  const command = join(tree, "dist/src/packed/command/start.js")
  const env = { PATH: process.env["PATH"], HOME: cwd, NO_COLOR: "1", COLUMNS: "100", LC_ALL: "C" }
  const child = spawn(process.execPath, [command, ...args], { cwd, env, stdio: ["ignore", "pipe", "pipe"] })
  const printed = { stdout: "", stderr: "" }
  child.stdout.setEncoding("utf8").on("data", (text: string) => (printed.stdout += text))
  child.stderr.setEncoding("utf8").on("data", (text: string) => (printed.stderr += text))
  const ended = new Promise<Printed>((resolve) => {
    child.once("close", (code, signal) => resolve({ ...printed, code: String(code ?? signal) }))
  })
  return { child, printed, ended }
}

const run = (tree: string, cwd: string, args: ReadonlyArray<string>): Promise<Printed> =>
  start(tree, cwd, args).ended

const serve = async (tree: string, cwd: string, args: ReadonlyArray<string>) => {
  const { child, printed, ended } = start(tree, cwd, args)
  while (!printed.stdout.includes("until this ends") && !printed.stderr.includes("until this ends")) {
    const code = await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 100))])
    if (code !== undefined) throw new Error(JSON.stringify(code))
  }
  const end = (): Promise<Printed> => {
    child.kill("SIGTERM")
    return ended
  }
  return { end }
}

const send = (url: string, token: string, method: string, body?: object): Promise<string> =>
  new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${token}`,
      "content-type": "application/strategic-merge-patch+json"
    }
    const outgoing = request(url, { method, headers, rejectUnauthorized: false }, (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("end", () => resolve(Buffer.concat(chunks).toString()))
    })
    outgoing.on("error", reject)
    outgoing.end(body === undefined ? undefined : JSON.stringify(body))
  })
