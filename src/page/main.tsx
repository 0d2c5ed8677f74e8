import { render } from "preact"
import { App } from "./app.tsx"
import { connectToServer } from "./source/connection.ts"
import { embeddedRecordings } from "./source/embeddedRecordings.ts"
import { listenForDrops } from "./source/openFile.ts"
import { loadViews } from "./lazyView.tsx"
import { listenForKeys } from "./keyboard.ts"
import { holdRenderingWhilePressed, interceptLinks } from "./clicks.ts"
import { scheduleBrowserFrame } from "./useSignal.ts"
import { setFrameScheduler, makeSignal } from "./signal.ts"
import { makePlayer } from "./moment/player.ts"
import { makeStoryPlayer } from "./story/storyPlayer.ts"
import { showRecording } from "./source/showRecording.ts"
import { openPageState, PageStateContext } from "./pageState.ts"
import { dropSettledRefusals } from "./object/settledRefusals.ts"
import { takeToken } from "./token.ts"

const startPage = (): void => {
  const embedded = embeddedRecordings()
  const token = embedded.length === 0 ? takeToken() : undefined
  // Opening a recording changes the address.
  const initialHash = location.hash
  const pageState = openPageState(token === undefined ? undefined : connectToServer(token))
  const player = makePlayer(pageState)
  const story = makeStoryPlayer(pageState, player)
  const controls = {
    player,
    story,
    helpOpen: makeSignal(false),
    reportOpen: makeSignal(true),
    paletteOpen: makeSignal(false)
  }
  listenForKeys(pageState, controls)
  interceptLinks(pageState)
  listenForDrops(pageState)
  dropSettledRefusals(pageState)
  const [firstRecording] = embedded
  if (firstRecording !== undefined)
    void showRecording(pageState, firstRecording.title, firstRecording.open()).then(
      (isShown) => isShown && pageState.openAddress(initialHash)
    )
  const root = document.getElementById("page") ?? document.body
  render(
    <PageStateContext.Provider value={pageState}>
      <App controls={controls} embedded={embedded} />
    </PageStateContext.Provider>,
    root
  )
}

setFrameScheduler(scheduleBrowserFrame)
holdRenderingWhilePressed()
startPage()
window.addEventListener("load", () => void loadViews())
// A new token in the address bar starts the page again.
window.addEventListener("hashchange", () => {
  if (location.hash.startsWith("#token=")) location.reload()
})
