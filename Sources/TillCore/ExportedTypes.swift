// The rules use the values of the App Store and of the control API as they are, so every file that imports the core
// sees them, too.
@_exported import AppStoreTypes
@_exported import TillTypes
