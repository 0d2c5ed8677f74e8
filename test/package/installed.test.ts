import { execFile } from "node:child_process"
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { build as bundleWithEsbuild } from "esbuild"
import { build as bundleWithVite } from "vite"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { up } from "../cli/harness/servingCommand.ts"
import { projectPath } from "../projectPath.ts"

const folder = mkdtempSync(join(tmpdir(), "charthouse-installed-"))
afterAll(() => rmSync(folder, { recursive: true }))
/** An author's project, in which npm has installed the package. */
const project = join(folder, "project")
const installed = join(project, "node_modules/charthouse")

interface Manifest {
  readonly name: string
  readonly version: string
  readonly exports: Readonly<Record<string, string | object>>
}

const run = async (command: string, ...args: ReadonlyArray<string>): Promise<string> => {
  const { stdout } = await promisify(execFile)(command, args, { cwd: project })
  return stdout
}
const write = (name: string, text: string): string => {
  writeFileSync(join(project, name), text)
  return join(project, name)
}

/** A release of Effect after the one that the package was built with. */
const laterEffect = "4.1.999"
const makeLaterEffect = (): string => {
  const [from, to] = [projectPath("node_modules/effect"), join(folder, "effect")]
  mkdirSync(to)
  for (const name of readdirSync(from)) {
    if (name !== "package.json") symlinkSync(join(from, name), join(to, name))
  }
  const manifest: object = JSON.parse(readFileSync(join(from, "package.json"), "utf8"))
  writeFileSync(join(to, "package.json"), JSON.stringify({ ...manifest, version: laterEffect }))
  return to
}

beforeAll(async () => {
  mkdirSync(project)
  write("package.json", JSON.stringify({ private: true, type: "module" }))
  await promisify(execFile)("npm", ["pack", "--ignore-scripts", "--pack-destination", folder], {
    cwd: projectPath()
  })
  const [tarball = ""] = globSync(join(folder, "*.tgz"))
  const flags = ["--prefer-offline", "--no-audit", "--no-fund"]
  await run("npm", "install", ...flags, tarball, makeLaterEffect())
  // An optional peer: the types of `charthouse/vitest` need it.
  symlinkSync(projectPath("node_modules/vitest"), join(project, "node_modules/vitest"))
})

const effectProgram = `
  import { readFileSync } from "node:fs"
  import { Cluster } from "charthouse"
  import { Context, Effect, Layer } from "effect"

  const manifest = readFileSync("node_modules/charthouse/scripts/examples/web-v1.yaml", "utf8")
  class Web extends Context.Service()("program/Web") {
    static layer = Layer.effect(Web, Effect.gen(function* () {
      const cluster = yield* Cluster
      yield* cluster.apply(manifest)
      yield* cluster.settle()
      return yield* cluster.get({ resource: "deployments.apps", name: "web" })
    }))
  }
  const program = Effect.gen(function* () {
    const cluster = yield* Cluster
    const { spec, status } = yield* Web
    const missing = yield* cluster.get({ resource: "pods", name: "none" }).pipe(
      Effect.catchTag("NotFound", ({ message }) => Effect.succeed(message))
    )
    console.log(status.availableReplicas === spec.replicas, missing)
  })
  await Effect.runPromise(program.pipe(Effect.provide(Web.layer.pipe(Layer.provideMerge(Cluster.layer({ seed: 7 }))))))
`

describe("the installed package", () => {
  it("shares its Effect and its XState with the program", async () => {
    const manifests = globSync("**/node_modules/{effect,xstate}/package.json", { cwd: project })
    const copies = manifests.map((path) => {
      const { name, version } = JSON.parse(readFileSync(join(project, path), "utf8")) as Manifest
      return name === "effect" ? `${name} ${version}` : name
    })
    expect(copies.toSorted()).toEqual([`effect ${laterEffect}`, "xstate"])
    write("effectProgram.js", effectProgram)
    expect(await run(process.execPath, "effectProgram.js")).toBe('true pods "none" not found\n')
  })

  it("serves with its command alone, without another package", async () => {
    const alone = join(folder, "alone")
    cpSync(installed, alone, { recursive: true })
    const example = join(alone, "scripts/examples/web-v1.yaml")
    const start = join(alone, "dist/src/packed/command/start.js")
    const { url, token, end } = await up(
      ["-f", example, "--clock", "60x", "--no-tls"],
      /Ctrl-C ends it/,
      start
    )
    expect(await answersOf(url, token)).toEqual(served)
    expect(await end("SIGTERM")).toBe(0)
  })
})

/** `kubectl create namespace shop`, as kubectl sends it. */
const [, protobufBody = ""] = readFileSync(
  projectPath("test/server/protobuf/protobufBodies.txt"),
  "utf8"
).split("\n")

/** What a server answers from files of the package: an OpenAPI document, the page and its drawings, a decoded body. */
const answersOf = async (url: string, token: string) => {
  const request = (path: string, init: RequestInit = {}) =>
    fetch(`${url}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${token}`, ...(init.headers as Record<string, string>) }
    })
  const document = (await (await request("/openapi/v3/apis/apps/v1")).json()) as { readonly openapi: string }
  const created = await request("/api/v1/namespaces", {
    method: "POST",
    headers: { "content-type": "application/vnd.kubernetes.protobuf" },
    body: Buffer.from(protobufBody, "base64")
  })
  const files = ["", "page.js", "page.css", "charts/deployment.svg"].map(async (name) => {
    const { status, headers } = await request(`/charthouse/${name}`)
    return `${status} ${headers.get("content-type")?.split(";")[0]}`
  })
  return { openapi: document.openapi, created: created.status, files: await Promise.all(files) }
}
const served = {
  openapi: "3.0.0",
  created: 201,
  files: ["200 text/html", "200 text/javascript", "200 text/css", "200 image/svg+xml"]
}

const serverProgram = `
  import { openCluster } from "charthouse"
  import { chartOf, chartsOf } from "charthouse/charts"

  const answersOf = ${answersOf.toString()}
  const protobufBody = ${JSON.stringify(protobufBody)}
  const cluster = await openCluster()
  const secure = await cluster.serve()
  const { url, token } = await cluster.serve({ tls: false, page: true })
  const answers = await answersOf(url, token)
  const [header] = (await cluster.recording()).split("\\n")
  const [chart] = chartsOf()
  const drawn = await chartOf(chart, "svg").catch(({ _tag, message }) => [_tag, message])
  await cluster.close()
  console.log(JSON.stringify({ answers, ca: secure.ca.slice(0, 27), version: JSON.parse(header).version, drawn }))
`

/** Bundles a file of the project into one of an otherwise empty folder. */
const bundlers: Readonly<Record<string, (entry: string, folder: string) => Promise<unknown>>> = {
  esbuild: (entry, outdir) =>
    bundleWithEsbuild({
      entryPoints: [entry],
      outdir,
      bundle: true,
      platform: "node",
      format: "esm",
      minify: true
    }),
  Vite: (entry, outDir) =>
    bundleWithVite({
      root: project,
      configFile: false,
      logLevel: "silent",
      ssr: { noExternal: true },
      build: { ssr: entry, outDir, emptyOutDir: true, minify: true }
    })
}

const typeErrors = (resolution: string, args: ReadonlyArray<string>): Promise<string> => {
  const module = resolution === "bundler" ? "esnext" : resolution
  const tsc = projectPath("node_modules/typescript/bin/tsc")
  const options = ["--strict", "--skipLibCheck", "false", "--noEmit", "--resolveJsonModule"]
  const target = ["--target", "es2022", "--module", module, "--moduleResolution", resolution]
  return run(process.execPath, tsc, ...options, ...target, ...args).catch(outputOf)
}

describe("a program with the package", () => {
  it.each(Object.entries(bundlers))(
    "bundled by %s serves OpenAPI and the page, and says how to draw charts",
    async (name, bundle) => {
      const out = join(folder, name)
      mkdirSync(out)
      writeFileSync(join(out, "package.json"), '{ "type": "module" }')
      await bundle(write("server.js", serverProgram), join(out, "dist"))
      const { version } = JSON.parse(readFileSync(projectPath("package.json"), "utf8")) as Manifest
      expect(JSON.parse(await run(process.execPath, join(out, "dist/server.js")))).toEqual({
        answers: served,
        ca: "-----BEGIN CERTIFICATE-----",
        version,
        drawn: ["CannotDraw", "drawing a chart as SVG needs the package elkjs: npm install --save-dev elkjs"]
      })
    }
  )

  it.each(["nodenext", "bundler"])(
    "has types for every entry with moduleResolution %s",
    async (resolution) => {
      const { exports } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as Manifest
      const entries = Object.keys(exports)
      const imports = entries.map((entry, index) => {
        const json = entry.endsWith(".json") ? ' with { type: "json" }' : ""
        return `import ${json === "" ? "* as " : ""}e${index} from "charthouse${entry.slice(1)}"${json}`
      })
      const uses = `
      const pod = await e0.openCluster().then((cluster) => cluster.get({ resource: "pods", name: "web" }))
      export const phase: string | undefined = pod.status?.phase
      // @ts-expect-error
      export const replicas: number = pod.spec?.replicas
    `
      const file = write(`${resolution}.ts`, [...imports, uses].join("\n"))
      expect(await typeErrors(resolution, [file])).toBe("")
    }
  )

  it("compiles the example operator", async () => {
    // In the project, so that `charthouse` is the installed package.
    cpSync(projectPath("scripts/examples/operator"), join(project, "operator"), { recursive: true })
    symlinkSync(projectPath("node_modules/@types"), join(project, "node_modules/@types"))
    const files = globSync(join(project, "operator/*.ts"))
    expect(files.length).toBeGreaterThan(3)
    expect(await typeErrors("nodenext", ["--types", "node", "--allowImportingTsExtensions", ...files])).toBe(
      ""
    )
  })
})

const outputOf = (error: unknown): string => (error as { readonly stdout: string }).stdout
