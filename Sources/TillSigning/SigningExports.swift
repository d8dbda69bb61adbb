// The OCSP responder uses the values of the control API as they are, so every file that imports this module sees them,
// too.
@_exported import TillTypes
